//! Files written with the HDF5 library directly, as other programs would, and read back.

use hdf5_pure::FileBuilder;

use super::{FclibSolution, MOST_CONTACTS, read_solution, to_bytes, write};
use crate::{CscMatrix, GlobalProblem, LocalProblem, Origin, ProblemFile, parse_bytes};

/// How a matrix is stored.
#[derive(Clone, Copy)]
enum Storage {
    Columns,
    Rows,
    /// `p` columns and `i` rows, as CSparse has it.
    Triplets,
    /// `p` rows and `i` columns, as the library's comment says.
    TripletsByRows,
}

/// A global problem with two degrees of freedom, H = [1 0 0; 0 2 3], written by hand.
fn by_hand(storage: Storage, change: impl Fn(&str, &mut Vec<i32>)) -> Vec<u8> {
    let mut builder = FileBuilder::new();
    let mut main = builder.create_group("fclib_global");
    let mut spacedim = vec![3];
    change("spacedim", &mut spacedim);
    main.create_dataset("spacedim").with_i32_data(&spacedim);
    /// Row, column and value.
    type Entry = (i32, i32, f64);
    let matrices: [(&str, [i32; 2], &[Entry]); 2] = [
        ("M", [2, 2], &[(0, 0, 4.0), (1, 1, 5.0)]),
        ("H", [2, 3], &[(0, 0, 1.0), (1, 1, 2.0), (1, 2, 3.0)]),
    ];
    for (name, [m, n], entries) in matrices {
        let pointers = |count: i32, major: fn(&(i32, i32, f64)) -> i32| -> Vec<i32> {
            (0..=count)
                .map(|k| entries.iter().filter(|e| major(e) < k).count() as i32)
                .collect()
        };
        let rows: Vec<i32> = entries.iter().map(|e| e.0).collect();
        let columns: Vec<i32> = entries.iter().map(|e| e.1).collect();
        let (nz, mut p, mut i) = match storage {
            Storage::Columns => (-1, pointers(n, |e| e.1), rows),
            Storage::Rows => (-2, pointers(m, |e| e.0), columns),
            Storage::Triplets => (entries.len() as i32, columns, rows),
            Storage::TripletsByRows => (entries.len() as i32, rows, columns),
        };
        let mut sizes = vec![nz];
        change(&format!("{name}/nz"), &mut sizes);
        change(&format!("{name}/p"), &mut p);
        change(&format!("{name}/i"), &mut i);
        let mut n = vec![n];
        change(&format!("{name}/n"), &mut n);
        let mut group = main.create_group(name);
        group
            .create_dataset("nzmax")
            .with_i32_data(&[entries.len() as i32]);
        group.create_dataset("m").with_i32_data(&[m]);
        group.create_dataset("n").with_i32_data(&n);
        group.create_dataset("nz").with_i32_data(&sizes);
        group.create_dataset("p").with_i32_data(&p);
        group.create_dataset("i").with_i32_data(&i);
        let x: Vec<f64> = entries.iter().map(|e| e.2).collect();
        group.create_dataset("x").with_f64_data(&x);
        main.add_group(group.finish());
    }
    let mut group = main.create_group("vectors");
    group.create_dataset("f").with_f64_data(&[0.5, -0.5]);
    group.create_dataset("w").with_f64_data(&[0.1, 0.2, 0.3]);
    group.create_dataset("mu").with_f64_data(&[0.7]);
    main.add_group(group.finish());
    builder.add_group(main.finish());
    builder.finish().unwrap()
}

fn global(bytes: &[u8]) -> GlobalProblem {
    match parse_bytes(bytes, "x.h5").unwrap() {
        ProblemFile::Global(global) => global,
        other => panic!("not global: {other:?}"),
    }
}

#[test]
fn every_storage_gives_the_same_problem() {
    let expected = global(&by_hand(Storage::Columns, |_, _| {}));
    assert_eq!(
        expected.directions().entries().collect::<Vec<_>>(),
        [(0, 0, 1.0), (1, 1, 2.0), (1, 2, 3.0)]
    );
    assert_eq!(expected.friction(), [0.7]);
    for storage in [Storage::Rows, Storage::Triplets, Storage::TripletsByRows] {
        assert_eq!(global(&by_hand(storage, |_, _| {})), expected);
    }
}

#[test]
fn more_contacts_than_the_memory_should_hold_are_refused() {
    let mut builder = FileBuilder::new();
    let mut main = builder.create_group("fclib_local");
    main.create_dataset("spacedim").with_i32_data(&[3]);
    let mut group = main.create_group("vectors");
    let friction = vec![0.5; MOST_CONTACTS + 1];
    group.create_dataset("mu").with_f64_data(&friction);
    main.add_group(group.finish());
    builder.add_group(main.finish());
    let error = parse_bytes(&builder.finish().unwrap(), "x.h5").unwrap_err();
    let expected = "fclib_local/vectors/mu: has 1000001 contacts, more than 1000000";
    assert!(error.to_string().contains(expected), "{error}");
}

#[test]
fn faults_name_the_element() {
    let cases: [(&str, i32, Storage, &str); 7] = [
        (
            "spacedim",
            2,
            Storage::Columns,
            "fclib_global/spacedim: is 2",
        ),
        ("H/nz", -3, Storage::Columns, "fclib_global/H/nz: is -3"),
        ("H/nz", 9, Storage::Triplets, "fclib_global/H/nz: is 9"),
        ("H/n", 6, Storage::Columns, "fclib_global/H/n: is 6"),
        ("H/p", -1, Storage::Columns, "fclib_global/H/p[0]: is -1"),
        ("H/p", 2, Storage::Columns, "fclib_global/H/p[0]: is 2"),
        ("H/i", 7, Storage::Columns, "fclib_global/H/i[0]: is row 7"),
    ];
    for (element, value, storage, expected) in cases {
        let bytes = by_hand(storage, |name, values| {
            if name == element {
                values[0] = value;
            }
        });
        let text = parse_bytes(&bytes, "x.h5").unwrap_err().to_string();
        assert!(
            text.starts_with("x.h5: ") && text.contains(expected),
            "{text}"
        );
    }
    let triplet = by_hand(Storage::Triplets, |name, values| {
        if name == "M/i" {
            values[1] = 9;
        }
    });
    let text = parse_bytes(&triplet, "x.h5").unwrap_err().to_string();
    assert!(
        text.contains("fclib_global/M/x[1]: (9, 1) is outside"),
        "{text}"
    );
}

#[test]
fn other_hdf5_files_and_broken_ones_are_refused() {
    let mut builder = FileBuilder::new();
    builder.create_dataset("data").with_f64_data(&[1.0]);
    let text = parse_bytes(&builder.finish().unwrap(), "x.h5")
        .unwrap_err()
        .to_string();
    assert!(
        text.contains("neither a group fclib_local nor fclib_global"),
        "{text}"
    );
    let whole = by_hand(Storage::Columns, |_, _| {});
    for length in (8..whole.len()).step_by(97) {
        assert!(parse_bytes(&whole[..length], "x.h5").is_err());
    }
}

#[test]
fn problems_and_solutions_come_back() {
    let origin = Origin {
        note: Some("a µ-problem".into()),
        ..Origin::named("one")
    };
    let w = CscMatrix::from_entries(3, 3, &[(0, 0, 1.0), (1, 1, 2.0), (2, 2, 0.1 + 0.2)]).unwrap();
    let local = LocalProblem::new(origin, vec![0.3], w, vec![-1.0, 0.0, 1e-300]).unwrap();
    let local = ProblemFile::Local(local);
    let bytes = to_bytes(&local, None).unwrap();
    assert_eq!(parse_bytes(&bytes, "x").unwrap(), local);

    let path = std::env::temp_dir().join(format!("stiction-fclib-{}.h5", std::process::id()));
    let global = ProblemFile::Global(global(&by_hand(Storage::Columns, |_, _| {})));
    let solution = FclibSolution {
        r: vec![1.0, 2.0, 3.0],
        u: vec![4.0, 5.0, 6.0],
        v: vec![7.0, 8.0],
    };
    write(&path, &global, Some(&solution)).unwrap();
    assert_eq!(read_solution(&path).unwrap(), Some(solution));
    crate::write(&path, &local).unwrap();
    assert_eq!(read_solution(&path).unwrap(), None);
    assert_eq!(crate::read(&path).unwrap(), local);
    std::fs::remove_file(&path).unwrap();
}
