//! What is at a wrong path, or near it.

use super::*;

#[test]
fn nothing_names_what_is_near_the_most_similar_first() {
    let text = |path| text(volumes(), path);
    assert_eq!(
        text("/volumes/row/s0"),
        "there is nothing at /volumes/row/s0: /volumes is there, and in it are (the most similar \
         first) raw, labels"
    );
    assert_eq!(
        text("/volumes/label"),
        "there is nothing at /volumes/label: /volumes is there, and in it are labels, raw"
    );
    assert_eq!(
        text("/volumes/raw/s2"),
        "there is nothing at /volumes/raw/s2: /volumes/raw is there, and in it are s0, s1"
    );
    assert_eq!(
        text("/else/where"),
        "there is nothing at /else/where: / is there, and in it is volumes"
    );
}

#[test]
fn blanks_around_a_path_are_seen() {
    let text = |path| text(volumes(), path);
    assert_eq!(
        text(" volumes/raw"),
        r#"there is nothing at "/ volumes/raw": / is there, and in it is volumes"#
    );
    assert_eq!(
        text("/volumes/raw "),
        "there is nothing at \"/volumes/raw \": /volumes is there, and in it are (the most similar \
         first) raw, labels"
    );
}

#[test]
fn an_empty_document_is_called_empty() {
    for blank in ["", " \n\t", "\u{feff}"] {
        let store = store(&[("em/s0/attributes.json", blank), ("em/s0/0/0", "block")]);
        let error = error(store, "/em/s0");
        assert!(
            matches!(&error, OpenError::EmptyDocument { node_path, .. } if node_path == "/em/s0"),
            "{error:?}"
        );
        assert_eq!(
            error.to_string(),
            "em/s0/attributes.json is empty, of 0 bytes or only blanks, so that there is no \
             dataset at /em/s0: expected an object with `dimensions`, `blockSize`, `dataType` and \
             `compression`; restore it"
        );
    }
    // Of a group an empty document is as good as none.
    let group = store(&[
        ("attributes.json", ""),
        ("raw/attributes.json", DATASET),
        ("else/attributes.json", GROUP),
    ]);
    assert_eq!(
        text(group, "/"),
        "/ is a group, not a dataset; the dataset below it is /raw"
    );
}

#[test]
fn blocks_without_a_document_are_named() {
    for (block, named) in [("0/0/0", "0/0/0"), ("7", "7"), ("12/3/0/1/5", "12/3/0/1/5")] {
        let store = store(&[
            ("attributes.json", GROUP),
            (&format!("em/s0/{block}"), "block"),
        ]);
        assert_eq!(
            text(store, "/em/s0"),
            format!(
                "there is no dataset at /em/s0: a file is there with the name of a block, \
                 /em/s0/{named}, but no em/s0/attributes.json, which says what is in the blocks; \
                 restore it"
            )
        );
    }
    // Of a grid of more folders than are searched for datasets.
    let keys: Vec<_> = (0..400).map(|x| format!("em/s0/{x}/0/0")).collect();
    let entries: Vec<_> = keys.iter().map(|at| (at.as_str(), "block")).collect();
    let found = error(store(&entries), "/em/s0");
    assert!(
        matches!(&found, OpenError::MissingDocument { block, .. } if block == "/em/s0/0/0/0"),
        "{found:?}"
    );
    // A document that says that it is a group is not missing.
    let described = store(&[("g/attributes.json", GROUP), ("g/0/0", "block")]);
    assert!(matches!(error(described, "/g"), OpenError::Group { .. }));
}

#[test]
fn nothing_but_files_near_is_said() {
    let store = store(&[("notes/readme.txt", "x")]);
    assert_eq!(
        text(store, "/notes/raw"),
        "there is nothing at /notes/raw: /notes is there, and no folder of a node is in it"
    );
}

#[test]
fn a_path_that_differs_by_case_is_found() {
    assert_eq!(
        text(volumes(), "/Volumes/RAW/s0"),
        "there is nothing at /Volumes/RAW/s0: names differ by case, and /volumes/raw/s0 is there"
    );
    assert_eq!(
        text(volumes(), "/Volumes/RAW/s7"),
        "there is nothing at /Volumes/RAW/s7: / is there, and in it is volumes"
    );
}

#[test]
fn a_path_that_begins_too_early_or_too_late_is_found() {
    for path in ["/data/x.n5/volumes/raw/s0", "/raw/s0"] {
        assert_eq!(
            text(volumes(), path),
            format!(
                "there is nothing at {path}, but at /volumes/raw/s0: the path of a node begins at \
                 the root of the store"
            )
        );
    }
}

#[test]
fn a_path_among_blocks_names_the_dataset() {
    for path in [
        "/volumes/raw/s0/0",
        "/volumes/raw/s0/0/0",
        "/volumes/raw/s0/x",
    ] {
        assert_eq!(
            text(volumes(), path),
            format!("there is no node at {path}: /volumes/raw/s0 above it is a dataset; open that")
        );
    }
}

/// `BigStitcher` writes the members of a dataset on `setup0` too.
#[test]
fn nodes_in_a_dataset_are_near_and_its_blocks_are_not() {
    let store = store(&[
        ("setup0/attributes.json", DATASET),
        ("setup0/0/0", "block"),
        ("setup0/timepoint0/s0/attributes.json", DATASET),
    ]);
    assert_eq!(
        text(store, "/setup0/timepoint1/s0"),
        "there is nothing at /setup0/timepoint1/s0: /setup0 is there, and in it is timepoint0"
    );
}

#[test]
fn a_group_names_its_datasets() {
    assert_eq!(
        text(volumes(), "/volumes"),
        "/volumes is a group, not a dataset; datasets below it are /volumes/labels, \
         /volumes/raw/s0, /volumes/raw/s1"
    );
    let with_document = store(&[
        ("a/attributes.json", GROUP),
        ("a/b/attributes.json", DATASET),
    ]);
    assert_eq!(
        text(with_document, "/a"),
        "/a is a group, not a dataset; the dataset below it is /a/b"
    );
    let alone = store(&[("a/attributes.json", GROUP)]);
    assert_eq!(
        text(alone, "/a"),
        "/a is a group, not a dataset; there is no dataset below it"
    );
}

#[test]
fn a_group_names_no_dataset_that_is_only_a_container() {
    let store = store(&[
        ("g/setup0/attributes.json", DATASET),
        ("g/setup0/timepoint0/s0/attributes.json", DATASET),
    ]);
    let OpenError::Group { datasets, .. } = error(store, "/g") else {
        panic!("not a group");
    };
    assert_eq!(datasets, ["/g/setup0/timepoint0/s0"]);
}

#[test]
fn the_search_for_datasets_is_bounded_in_number_and_depth() {
    let entries: Vec<_> = (0..1000)
        .map(|n| format!("g/d{n:04}/attributes.json"))
        .collect();
    let entries: Vec<_> = entries.iter().map(|at| (at.as_str(), DATASET)).collect();
    let wide = Arc::new(store(&entries));
    let OpenError::Group {
        datasets, is_all, ..
    } = error(wide.clone(), "/g")
    else {
        panic!("not a group");
    };
    assert_eq!((datasets.len(), is_all), (255, false));
    // The document of `g`, its listing, and both for each of the datasets.
    assert_eq!(wide.take_requests().len(), 2 + 2 * 255);
    let text = text(wide, "/g");
    assert!(
        text.starts_with(
            "/g is a group, not a dataset; among the datasets below it, of which not all were \
             searched for, are /g/d0000, /g/d0001, "
        ) && text.ends_with(", /g/d0015 and 239 more"),
        "{text}"
    );
    let deep = store(&[("g/1/2/3/4/5/ds/attributes.json", DATASET)]);
    assert_eq!(
        self::text(deep, "/g"),
        "/g is a group, not a dataset; no dataset was found below it, but not all was searched"
    );
}
