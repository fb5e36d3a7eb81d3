//! The registry of codes: one condition, one code, one page.

use std::collections::BTreeSet;

use countersign::codes::registry;

#[test]
fn no_two_codes_share_a_name() {
    let mut names = BTreeSet::new();
    for code in registry() {
        assert!(names.insert(code.name()), "{code} is declared twice");
    }
    assert!(names.contains("json.bom"));
}

#[test]
fn every_name_is_an_area_and_a_kebab_name() {
    for code in registry() {
        let parts: Vec<&str> = code.name().split('.').collect();
        assert_eq!(parts.len(), 2, "{code}");
        for word in parts.iter().flat_map(|part| part.split('-')) {
            let plain = word.bytes().all(|octet| octet.is_ascii_lowercase() || octet.is_ascii_digit());
            assert!(plain && !word.is_empty(), "{code}");
        }
    }
}

#[test]
fn every_page_has_its_four_parts() {
    for code in registry() {
        let page = code.page();
        for part in [page.what, page.why, page.example, page.instead] {
            assert!(!part.trim().is_empty(), "{code}");
        }
        assert!(page.what.ends_with('.') && page.why.ends_with('.') && page.instead.ends_with('.'), "{code}");
    }
}
