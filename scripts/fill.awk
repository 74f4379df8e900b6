# SPDX-License-Identifier: BSD-3-Clause
# Fills the paragraphs of a document to 120 columns; tables, code, headings and lines that end with a break stay as they
# are.
#
#	awk -f scripts/fill.awk doc/architecture.md >filled && mv filled doc/architecture.md
BEGIN {
	width = 120
}

# What would begin something else at the start of a line stays behind the word before it.
function must_not_lead(word)
{
	return word ~ /^([-+*>|]|#+|[0-9]+[.)]|:)$/ || word ~ /^(#|>|\||```)/
}

function flush(	n, words, i, line)
{
	if (text == "")
		return
	n = split(text, words, " ")
	line = first words[1]
	for (i = 2; i <= n; i++) {
		if (length(line) + 1 + length(words[i]) > width && !must_not_lead(words[i])) {
			print line
			line = rest words[i]
		} else {
			line = line " " words[i]
		}
	}
	print line
	text = ""
	first = ""
	rest = ""
}

/^```/ {
	flush()
	fenced = !fenced
	print
	next
}

fenced {
	print
	next
}

# Code, unless it goes on with an item of a list.
/^(    |\t)/ && text == "" {
	print
	next
}

/^[[:space:]]*$/ || /^(#|\||%|<)/ {
	flush()
	print
	next
}

/^ *([-*]|[0-9]+\.) / {
	flush()
	match($0, /^ *([-*]|[0-9]+\.) +/)
	first = substr($0, 1, RLENGTH)
	rest = first
	gsub(/./, " ", rest)
	text = substr($0, RLENGTH + 1)
	next
}

{
	text = text == "" ? $0 : text " " $0
}

# A break that is wanted
/(  |\\)$/ {
	flush()
}

END {
	flush()
}
