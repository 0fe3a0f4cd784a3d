#!/bin/sh
# Fills fuzz/corpus from tests/data: small blocks for `header` and `decode`, documents for `attributes`, the cases of
# `template`, and the streams of `lz4_java`. What is there already stays.
set -eu
cd "$(dirname "$0")/.."
corpus=fuzz/corpus
mkdir -p "$corpus/header" "$corpus/decode" "$corpus/attributes" "$corpus/template" "$corpus/lz4_java"

name() { printf %s "$1" | tr '/ ' '__'; }

# The compression whose name is in a path, as `decode` counts them: the last of fuzz/compressions.txt, so that `blosc` comes
# before what it holds, or raw. In the octal of printf.
number_of() {
    number=0
    found=0
    while read -r compression _; do
        case $1 in *"$compression"*) found=$number ;; esac
        number=$((number + 1))
    done < fuzz/compressions.txt
    printf '\\%03o' "$found"
}

# Blocks have numbers for names. `decode` wants its 16 choices first; the second one is the compression.
find tests/data -type f -size -4k -name '[0-9]*' | awk 'NR % 5 == 0' | while read -r block; do
    cp "$block" "$corpus/header/$(name "$block")"
    compression=$(number_of "$block")
    for data_type in '\000' '\001' '\003'; do
        {
            printf "\\000$compression\\002$data_type"
            printf '\007\010\011\001\002\003\004\005\006\377\000\000'
            cat "$block"
        } > "$corpus/decode/$(name "$block")-$(printf %s "$data_type" | tr -d '\\')"
    done
done
# Blocks that the codec writes itself, then damaged.
number=0
while read -r compression _; do
    for rank in 0 1 2; do
        {
            printf "\\002\\$(printf %03o "$number")\\00$rank\\001"
            printf '\007\010\011\001\002\003\004\005\006\377\000\000\021\001\000'
            printf 'some elements to compress'
        } > "$corpus/decode/own-$compression-$rank"
    done
    number=$((number + 1))
done < fuzz/compressions.txt

find tests/data -type f \( -name attributes.json -o -name zarr.json \) -size -8k | while read -r document; do
    cp "$document" "$corpus/attributes/$(name "$document")"
done
find tests/data -type f -name attributes.json -size -8k | while read -r document; do
    zarr=$(find tests/data -type f -name zarr.json -size -8k | head -n 1)
    { cat "$zarr"; printf '\000'; cat "$document"; } > "$corpus/attributes/pair-$(name "$document")"
done

number=0
grep -v "^#" tests/data/template_cases.tsv | cut -f1 | sed 's/^"//; s/"$//' | while read -r format; do
    number=$((number + 1))
    for separator in / _ ''; do
        { printf '\003%s\000%s\000' "$separator" "$format"; printf '\013\026\041\001\002\003'; } \
            > "$corpus/template/$number-$(name "$separator")"
    done
done

for block in tests/data/compression/lz4*.block; do
    # A stream begins behind the block's header.
    offset=$(grep -abo LZ4Block "$block" | head -n 1 | cut -d: -f1)
    { printf '\000\000'; tail -c +$((offset + 1)) "$block"; } > "$corpus/lz4_java/$(name "$block")"
done
