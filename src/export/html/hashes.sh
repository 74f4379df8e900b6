#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# hashes.sh FOLDER [OTHER]: of each style and script in files.S there what a page's content security policy knows it by, as
# a header. The files that they are made of are in either folder. A page has a line end before each.
for name in $(sed -n 's/^BEGIN(\(.*\))$/\1/p' "$1/files.S"); do
	files=$(awk -v begin="BEGIN($name)" '$0 == begin { on = 1 } /^END/ { on = 0 } on && $1 == ".incbin" { print $2 }' "$1/files.S" |
		tr -d '"')
	{ echo && for file in $files; do cat "$1/$file" 2>/dev/null || cat "$2/$file"; done; } | sha256sum | awk -v name="$name" '
		BEGIN { digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/" }
		function value(from, length_,   v, i) {
			for (i = from; i < from + length_; i++)
				v = 16 * v + index("0123456789abcdef", substr($1, i, 1)) - 1
			return v
		}
		# Three digits there are two here; the last one is the upper bits of one.
		{
			for (i = 1; i < 64; i += 3)
				hash = hash substr(digits, int(value(i, 3) / 64) + 1, 1) substr(digits, value(i, 3) % 64 + 1, 1)
			printf "#define %s \"sha256-%s%s=\"\n", toupper(name) "_HASH", hash, substr(digits, 4 * value(64, 1) + 1, 1)
		}'
done
