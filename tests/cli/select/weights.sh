# Weights of quantile and median: integers repeat numbers; floats follow ordo_windows.h.
printf '10\n20\n30\n' >keys
printf '1\n0\n3\n' >counts
printf '0.25\n0.25\n0.5\n' >shares
flat() { tr '\n' ' ' && echo; }
ordo quantile keys --weights counts | flat
ordo quantile keys --weights shares --method inverted_cdf -q 0,0.25,0.3,0.5,0.6,1 | flat
ordo median keys --weights counts
ordo median keys --weights shares
ordo median keys --weights - <counts
printf '\001\000\003' >counts.bin
ordo median keys --weights counts.bin --weights-dtype u8
printf '1\n-1\n1\n' >negative
ordo median keys --weights negative
printf '1\n' >short
ordo median keys --weights short
ordo median - --weights - <keys
ordo median keys --weights-dtype u8
