# The elements whose flag is set, then the others. Flags as text, npy, bools and packed bits.
printf '5\n8\n1\n4\n' >keys.txt
printf '0\n1\n0\n-7\n' >flags.txt
printf '\012' >flags.bin
ordo partition keys.txt --flags flags.txt | tr '\n' ' ' && echo
ordo partition keys.txt --flags flags.txt --unset-first | tr '\n' ' ' && echo
ordo partition keys.txt --flags flags.txt --only | tr '\n' ' ' && echo
ordo partition keys.txt --flags flags.txt --only --unset-first | tr '\n' ' ' && echo
ordo partition keys.txt --flags flags.bin --flags-dtype bits --only | tr '\n' ' ' && echo
ordo partition --flags - keys.txt <flags.txt | tr '\n' ' ' && echo
{
    printf '\223NUMPY\001\000\106\000'
    printf "%-69s\n" "{'descr': '|b1', 'fortran_order': False, 'shape': (4,), }"
    printf '\001\000\000\001'
} >mask.npy
ordo partition keys.txt --flags mask.npy | tr '\n' ' ' && echo
: >none
ordo partition none --flags none | wc -c | tr -d ' '
ordo gen uniform -n 100000 --dtype u32 -o a.npy
ordo gen few -n 100000 -k 2 --dtype u8 -o m.npy
ordo partition a.npy --flags m.npy --threads 1 -o one.npy
ordo partition a.npy --flags m.npy --threads 3 -o three.npy && cmp one.npy three.npy && echo same
# Refused arguments.
ordo partition keys.txt
ordo partition keys.txt --flags mask.npy --flags-dtype f32
printf '1\n' >short.txt
ordo partition keys.txt --flags short.txt
ordo partition - --flags -
printf '1.5\n' | ordo partition short.txt --flags -
ordo partition keys.txt --flags absent.txt
printf '\012\000' >long.bin
ordo partition keys.txt --flags long.bin --flags-dtype bits
echo $?
