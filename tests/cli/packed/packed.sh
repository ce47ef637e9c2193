# Compressed output by the name of the file, input by its first bytes. bzip2 and zstd as in the Python
# tests, which know more; gzip is everywhere.
ordo gen uniform -n 1000 --seed 3 >a.txt
ordo sort a.txt -o s.txt.gz
gzip -dc s.txt.gz >s.txt
ordo sort a.txt | cmp - s.txt
ordo check s.txt.gz && echo sorted
cp s.txt.gz anything
ordo median s.txt >expected
ordo median anything | cmp - expected && echo same
ordo sort s.txt.gz -o s.npy.gz && gzip -dc s.npy.gz >s.npy && ordo sort --check s.npy && echo npy
ordo sort --text a.txt -o lines.gz && gzip -dc lines.gz | ordo sort --text --check && echo lines
cat s.txt.gz s.txt.gz | ordo count
head -c 100 s.txt.gz >short
ordo count short
echo $?
ordo sort short -o s.txt.gz
echo $?
gzip -dc s.txt.gz | cmp - s.txt && echo kept
(cat s.txt.gz; echo more) >more
ordo count more
echo $?
head -c 60 s.txt.gz >bad
printf 'xxxxxxxxxxxxxxxx' >>bad
tail -c +77 s.txt.gz >>bad
ordo count bad 2>/dev/null
echo $?
# A library that cannot be opened.
mkdir broken && : >broken/libz.so.1
LD_LIBRARY_PATH=$PWD/broken${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} ordo count s.txt.gz
echo $?
