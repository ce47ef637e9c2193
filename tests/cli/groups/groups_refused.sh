# Options that cannot be combined, and files of another length.
printf '1\n2\n' >two.txt
printf '1\n2\n3\n' >three.txt
ordo median two.txt --groups three.txt
ordo median --groups - <two.txt
ordo median two.txt --groups two.txt --weights two.txt
ordo median two.txt --groups-dtype u8
ordo median two.txt --groups two.txt --algorithm radix
ordo rank two.txt --groups two.txt --then two.txt
ordo rank two.txt --groups two.txt --sorted
ordo rank two.txt --groups two.txt --text
ordo argsort two.txt --then three.txt
ordo argsort two.txt --then two.txt,
ordo argsort two.txt --then two.txt --algorithm radix
ordo topk two.txt -k 1 --groups two.txt --with-index
ordo topk two.txt -k 1 --groups two.txt --format raw
