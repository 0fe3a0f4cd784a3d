use super::*;

fn error(
    payload: usize,
    block_shape: &[usize],
    start: &[usize],
    shape: &[usize],
    size: usize,
    out: usize,
) -> ReorderError {
    let mut out = vec![7; out];
    let error = decode_region(
        &vec![0; payload],
        block_shape,
        start,
        shape,
        &vec![0; size],
        &mut out,
    )
    .unwrap_err();
    assert!(
        out.iter().all(|&byte| byte == 7),
        "written in spite of {error}"
    );
    error
}

#[test]
fn a_payload_of_another_length_is_refused_with_both_lengths() {
    for found in [15, 17] {
        assert_eq!(
            error(found, &[2, 4], &[0, 0], &[2, 4], 2, 16),
            ReorderError::Length {
                side: Side::Payload,
                shape: vec![2, 4],
                element_size: 2,
                expected: 16,
                found
            }
        );
    }
    assert_eq!(
        error(15, &[2, 4], &[0, 0], &[2, 4], 2, 16).to_string(),
        "the N5 payload of shape [2, 4] (dimension 0 first) with elements of 2 bytes takes 16 \
         bytes, but 15 were given"
    );
}

#[test]
fn an_output_of_another_length_is_refused_with_both_lengths() {
    for found in [11, 13] {
        assert_eq!(
            error(16, &[2, 4], &[0, 0], &[2, 3], 2, found),
            ReorderError::Length {
                side: Side::Array,
                shape: vec![2, 3],
                element_size: 2,
                expected: 12,
                found
            }
        );
    }
}

#[test]
fn shapes_of_different_dimensionality_are_refused() {
    assert_eq!(
        error(8, &[2, 4], &[0, 0, 0], &[8], 1, 8),
        ReorderError::Dimensionality {
            block: 2,
            start: 3,
            region: 1
        }
    );
}

#[test]
fn other_element_sizes_are_refused() {
    for found in [0, 3, 5, 16] {
        assert_eq!(
            error(6, &[2], &[0], &[2], found, 6),
            ReorderError::ElementSize { found }
        );
        assert_eq!(
            encode_block(&[0; 6], &[2], found, &mut [0; 6]),
            Err(ReorderError::ElementSize { found })
        );
    }
}

#[test]
fn a_shape_larger_than_memory_is_refused() {
    let shape = vec![usize::MAX / 2, 3];
    let expected = ReorderError::TooLarge {
        shape: shape.clone(),
        element_size: 4,
    };
    assert_eq!(error(4, &shape, &[0, 0], &[1, 1], 4, 4), expected);
    assert_eq!(error(4, &[1, 1], &[0, 0], &shape, 4, 4), expected);
    assert_eq!(encode_block(&[0; 4], &shape, 4, &mut [0; 4]), Err(expected));
}
