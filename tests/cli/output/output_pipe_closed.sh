# A reader that has seen enough: the writer stops without a word.
ordo gen zero -n 1e6 | head -1
ordo gen zero -n 1e6 --format raw --dtype u8 | head -c 1 | od -An -tu1
