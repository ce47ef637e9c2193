printf '30\n10\n20\n' >keys
for wrong in '' '-k x' '-k 1,2' '-k 2 --largest --smallest' '-k 2 --index --with-index' \
    '-k 2 --one-based' '-k 2 --index-type u64' '-k 2 --nans propagate' '-k 2 --text --nans omit' \
    '-k 2 --with-index --format npy' '-k 2 --algorithm radix'; do
    # shellcheck disable=SC2086 # several words
    ordo topk keys $wrong -o out
    echo $?
done
ordo topk keys -k 2 --with-index -o out.npy
echo $?
printf '1\nx\n' | ordo topk -k 1
echo $?
ls
