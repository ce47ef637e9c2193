# Results of groups: one line per group, with its key and its results; ranks and indices: one per
# number.
printf '3\n10\n1\n20\n2\n30\nnan\n' >numbers.txt
printf '1\n2\n1\n2\n1\n2\n7\n' >groups.txt
ordo median numbers.txt --groups groups.txt
echo --
ordo quantile numbers.txt -q 0,0.5,1 --groups groups.txt --nans last
echo --
ordo topk numbers.txt -k 2 --groups groups.txt
echo --
ordo topk numbers.txt -k 2 --smallest --nans omit --index --one-based --groups groups.txt
echo --
ordo rank numbers.txt --groups groups.txt
echo --
ordo rank numbers.txt --groups groups.txt --descending --ties average
echo --
ordo argsort numbers.txt --groups groups.txt
echo --
ordo argsort numbers.txt --groups groups.txt --descending --one-based
echo -- further keys
printf '2\n1\n2\n1\n' >year.txt
printf '5\n9\n5\n8\n' >month.txt
printf '2\n1\n1\n1\n' >day.txt
ordo argsort year.txt --then month.txt,day.txt
echo --
ordo argsort year.txt --then month.txt --descending
echo --
ordo rank year.txt --then month.txt
echo -- files
ordo median numbers.txt --groups groups.txt -o medians.npy
ordo sort medians.npy --format text
printf '' | ordo median --groups /dev/null
printf '\001\002\001\002\001\002\007' >groups.bin
ordo median numbers.txt --groups groups.bin --groups-dtype u8
