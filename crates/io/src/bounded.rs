//! Files up to a size: a mistyped path must not fill the memory.

use std::path::Path;

use crate::limits::{DATA_BYTES, TEXT_BYTES};

/// The text of a file, or what is wrong with it.
pub(crate) fn text(path: &Path) -> Result<String, String> {
    let bytes = read(path, TEXT_BYTES)?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("is not UTF-8 text: byte {at} begins no character")
    })
}

/// The bytes of a file, or what is wrong with it.
pub(crate) fn data(path: &Path) -> Result<Vec<u8>, String> {
    read(path, DATA_BYTES)
}

fn read(path: &Path, largest: u64) -> Result<Vec<u8>, String> {
    let metadata = std::fs::metadata(path).map_err(|error| error.to_string())?;
    // Devices and pipes have no size and may have no end.
    if !metadata.is_file() {
        return Err("is not a file".to_owned());
    }
    let size = metadata.len();
    if size > largest {
        return Err(format!("has {size} bytes, more than {largest}"));
    }
    std::fs::read(path).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_devices_and_nothing_are_refused() {
        assert_eq!(text(Path::new(".")), Err("is not a file".to_owned()));
        assert!(text(Path::new("no such file")).is_err());
        if cfg!(unix) {
            assert_eq!(
                data(Path::new("/dev/zero")),
                Err("is not a file".to_owned())
            );
        }
    }
}
