# If the reader closes the pipe, the command stops without a message.
ordo gen zero -n 1e6 | head -1
ordo gen zero -n 1e6 --format raw --dtype u8 | head -c 1 | od -An -tu1
