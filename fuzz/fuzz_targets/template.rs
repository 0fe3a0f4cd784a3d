//! Any text is a template or an error; a key of an unambiguous template is read back, and no
//! ambiguity is missed.
//!
//! The input is `rank and index size | separator | NUL | format | NUL | two sets of chunk indices`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use zarrs_interop::template::Template;

/// Two coordinates of `rank` dimensions; one byte gives an index, shifted far to the left now and
/// then.
fn coordinates(bytes: &[u8], rank: usize) -> [Vec<u64>; 2] {
    let mut bytes = bytes.iter().copied().chain(std::iter::repeat(1));
    [(); 2].map(|()| {
        (0..rank)
            .map(|_| {
                let byte = u64::from(bytes.next().unwrap_or_default());
                if byte < 128 {
                    byte
                } else {
                    byte << (byte % 57)
                }
            })
            .collect()
    })
}

fuzz_target!(|input: &[u8]| {
    let Some((&first, rest)) = input.split_first() else {
        return;
    };
    let mut parts = rest.splitn(3, |&byte| byte == 0);
    let separator = String::from_utf8_lossy(parts.next().unwrap_or_default());
    let format = String::from_utf8_lossy(parts.next().unwrap_or_default());
    let indices = parts.next().unwrap_or_default();
    let rank = usize::from(first & 0x0f);
    let separator = (first & 0x80 == 0).then_some(&*separator);

    let Ok(template) = Template::new(&format, separator) else {
        return;
    };
    assert_eq!(template.as_str(), format);
    assert_eq!(template.separator(), separator);
    let [one, other] = coordinates(indices, rank);
    let fits = template.validate_dimensionality(rank);
    let ambiguous = template.is_ambiguous(rank);
    let key = template.encode(&one);
    assert_eq!(fits.is_ok(), ambiguous.is_ok());
    assert_eq!(fits.is_ok(), key.is_ok(), "{key:?}");
    // Any text instead of a key is read or refused.
    let text = String::from_utf8_lossy(indices);
    if let Ok(read) = template.decode(&text, rank) {
        assert_eq!(template.encode(&read).unwrap().as_str(), text);
    }
    let (Ok(key), Ok(ambiguous)) = (key, ambiguous) else {
        return;
    };
    let read = template.decode(key.as_str(), rank);
    if ambiguous {
        assert!(read.is_err());
    } else {
        assert_eq!(read.unwrap(), one);
        let other_key = template.encode(&other).unwrap();
        assert_eq!(other_key == key, other == one);
    }
});
