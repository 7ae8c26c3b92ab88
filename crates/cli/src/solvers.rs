//! The solvers that a command line asked for.

pub(crate) use stiction_sim::solvers::{DEFAULT, all, make};

/// The names that were asked for, `all` spelled out, each once and each known.
pub(crate) fn choose(names: &[String]) -> anyhow::Result<Vec<String>> {
    let mut chosen: Vec<String> = Vec::new();
    for name in names {
        let wanted: Vec<String> = if name == "all" {
            all().map(|(name, _)| name.to_owned()).collect()
        } else {
            make(name).map(|_| vec![name.clone()])?
        };
        for name in wanted {
            if !chosen.contains(&name) {
                chosen.push(name);
            }
        }
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_is_spelled_out_once() {
        let names = ["pgs".to_owned(), "all".to_owned(), "pgs".to_owned()];
        let chosen = choose(&names).unwrap();
        assert_eq!(chosen.len(), all().count());
        assert_eq!(chosen[0], "pgs");
        assert!(choose(&["nonsense".to_owned()]).is_err());
    }
}
