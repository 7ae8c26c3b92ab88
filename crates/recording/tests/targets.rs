//! What is where something is written stays what it is, or the writing is refused.
#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use stiction_recording::{check_target, create_in_place, is_same_file, write_atomically};

/// A folder of its own for a test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("stiction-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let written = write_atomically(path, |sink| Ok(sink.write_all(text.as_bytes())?));
    written.map_err(|error| error.to_string())
}

#[test]
fn a_link_stays_a_link_and_what_it_leads_to_is_written() {
    let folder = Folder::new("links");
    let (file, link) = (folder.0.join("file"), folder.0.join("link"));
    fs::write(&file, "old").unwrap();
    symlink("file", &link).unwrap();
    write(&link, "new").unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&file).unwrap(), "new");
    // A link to what is still to be made, through another link.
    let (far, near) = (folder.0.join("far"), folder.0.join("near"));
    symlink("near", &far).unwrap();
    symlink("made", &near).unwrap();
    write(&far, "made").unwrap();
    assert_eq!(fs::read_to_string(folder.0.join("made")).unwrap(), "made");
    assert!(fs::symlink_metadata(&far).unwrap().is_symlink());
    // Links in a circle.
    let circle = folder.0.join("circle");
    symlink("circle", &circle).unwrap();
    assert!(write(&circle, "x").is_err());
}

#[test]
fn what_is_read_only_or_a_folder_or_a_socket_is_refused_and_left_alone() {
    let folder = Folder::new("refused");
    let file = folder.0.join("file");
    fs::write(&file, "precious").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    let refused = write(&file, "new").unwrap_err();
    assert!(refused.contains("it is read-only"), "{refused}");
    assert!(create_in_place(&file).is_err() && check_target(&file).is_err());
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
    assert!(write(&folder.0, "x").unwrap_err().contains("is a folder"));
    let socket = folder.0.join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    assert!(write(&socket, "x").is_err() && create_in_place(&socket).is_err());
    let kind = fs::metadata(&socket).unwrap().file_type();
    assert!(kind.is_socket());
    assert!(write(&folder.0.join("no/such/folder"), "x").is_err());
    assert!(check_target(&folder.0.join("no/such/folder")).is_err());
    let left: Vec<_> = fs::read_dir(&folder.0).unwrap().collect();
    assert_eq!(left.len(), 2, "no temporary file stays behind: {left:?}");
}

#[test]
fn pipes_and_devices_are_written_through() {
    let folder = Folder::new("pipes");
    let pipe = folder.0.join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || {
            let mut text = String::new();
            let mut file = fs::File::open(pipe).unwrap();
            file.read_to_string(&mut text).unwrap();
            text
        }
    });
    write(&pipe, "through").unwrap();
    assert_eq!(reader.join().unwrap(), "through");
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
    write(Path::new("/dev/null"), "gone").unwrap();
    assert!(
        fs::metadata("/dev/null")
            .unwrap()
            .file_type()
            .is_char_device()
    );
}

#[test]
fn permissions_and_long_names_are_kept() {
    let folder = Folder::new("names");
    let file = folder.0.join("n".repeat(255));
    write(&file, "first").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    write(&file, "second").unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "second");
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
}

#[test]
fn other_names_of_a_file_keep_its_content() {
    let folder = Folder::new("hard");
    let (file, other) = (folder.0.join("file"), folder.0.join("other"));
    for streaming in [false, true] {
        fs::write(&file, "precious").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        fs::hard_link(&file, &other).unwrap();
        match streaming {
            false => write(&other, "new").unwrap(),
            true => create_in_place(&other).unwrap().write_all(b"new").unwrap(),
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
        assert_eq!(fs::read_to_string(&other).unwrap(), "new");
        let mode = fs::metadata(&other).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        fs::remove_file(&other).unwrap();
    }
}

#[test]
fn one_file_under_two_names_is_known() {
    let folder = Folder::new("same");
    let at = |name: &str| folder.0.join(name);
    fs::write(at("file"), "").unwrap();
    symlink("file", at("link")).unwrap();
    symlink("later", at("dangling")).unwrap();
    assert!(is_same_file(&at("file"), &at("link")));
    assert!(is_same_file(&at("dangling"), &at("later")));
    assert!(is_same_file(&at("new"), &at("./new")));
    assert!(!is_same_file(&at("file"), &at("later")));
    assert!(!is_same_file(
        Path::new("/dev/null"),
        Path::new("/dev/null")
    ));
    // What is read-only is one file too.
    fs::set_permissions(at("file"), fs::Permissions::from_mode(0o444)).unwrap();
    assert!(is_same_file(&at("file"), &at("link")));
}
