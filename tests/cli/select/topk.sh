# The largest or smallest elements in order; tied elements by index; all elements if k exceeds n.
line() { tr '\n' ' ' && echo; }
printf '30\n10\n20\n30\n40\n' >keys
ordo topk keys -k 3 | line
ordo topk keys -k 3 --largest --index | line
ordo topk keys -k 3 --smallest | line
ordo topk keys -k 3 --smallest --index --one-based | line
ordo topk keys -k 3 --with-index
ordo topk keys -k 2 --with-index --one-based --smallest
ordo topk keys -k 1e18 | line
ordo topk keys -k 0
printf '' | ordo topk -k 3
printf 'nan\n2\n-0.0\n0\n' >floats
ordo topk floats -k 9 | line
ordo topk floats -k 9 --smallest --with-index | tr '\n' ','
echo
ordo topk floats -k 9 --nans omit --index | line
ordo topk keys -k 2 --index --format raw | wc -c | tr -d ' '
ordo topk keys -k 2 --index --index-type u64 -o out.bin && wc -c <out.bin | tr -d ' '
# Compared with sort(1) of lines that contain their line number.
ordo gen few -n 20000 -k 900 --dtype i32 --seed 8 >all
awk '{ print NR - 1, $1 }' all | sort -s -r -n -k 2 | head -1000 >expected
ordo topk all -k 1000 --with-index | cmp - expected
awk '{ print NR - 1, $1 }' all | sort -s -n -k 2 | head -1000 >expected
for threads in 1 2 3; do
    ordo topk all -k 1000 --with-index --smallest --algorithm auto --threads $threads |
        cmp - expected && echo $threads
done
# A line that is longer than a piece of the file.
{ printf 'z\n' && head -c 20000000 /dev/zero | tr '\0' a && printf '\nc\n'; } >long
ordo topk long -k 9 --text --index | line
