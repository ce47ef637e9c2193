# Commands with few results write text, unless the name of the file or --format says otherwise.
ordo gen sorted -n 5 --dtype u16 -o a.npy
printf '30\n10\n20\n' | ordo sort --dtype i16 --format npy >b.npy
ordo select b.npy -k 2
ordo median b.npy
ordo quantile b.npy -q 1
ordo topk b.npy -k 1
ordo radius b.npy
ordo topk b.npy -k 2 -o c.npy && ordo sort c.npy --format text | tr '\n' ' ' && echo
ordo select b.npy -k 3 -o c.raw && od -An -td2 c.raw | tr -s ' '
ordo median b.npy --format npy | ordo scan --format text
ordo quantile b.npy -o c.txt && wc -l <c.txt | tr -d ' '
ordo topk b.npy -k 3 -o c.npy --format text && head -1 c.npy
