# The radius and the number of runs.
line() { tr '\n' ' ' && echo; }
printf '1\n2\n2\n3\n' | ordo radius --runs | line
printf '2\n3\n1\n4\n' | ordo radius --runs | line
printf '2\n3\n1\n4\n' | ordo radius --runs --descending | line
printf '3\n2\n2\n1\n' | ordo radius --descending
printf '5\n4\n3\n2\n1\n' | ordo radius --runs | line
printf '5\n1\n2\n3\n4\n5\n5\n' | ordo radius --runs | line
printf '1\nnan\n2\n' | ordo radius --runs | line
printf 'nan\n1\n2\n' | ordo radius --descending --runs | line
printf '0\n-0.0\n' | ordo radius
printf '' | ordo radius --runs | line
printf '7' | ordo radius --runs | line
for k in 0 1 2 77 1000 29999; do
    for algorithm in auto sequential; do
        ordo gen ksorted -n 30000 -k $k --dtype u32 --seed 3 --format npy |
            ordo radius --algorithm $algorithm --threads 3
    done
done | line
ordo gen sawtooth -n 30000 -k 7 --dtype f64 | ordo radius --runs | tail -1
ordo gen sorted -n 100 | ordo radius --format raw --runs | od -An -tu8 | tr -s ' '
printf '1\nx\n' | ordo radius
echo $?
ordo radius --algorithm threads </dev/null
echo $?
# The sequences LR, RL and DM, in both directions and as files of each format.
for algorithm in auto sequential; do
    printf '3\n1\n2\n2\n5\n4\n' |
        ordo radius --algorithm $algorithm --lr lr.txt --rl rl.txt --dm dm.txt
    paste -d ' ' lr.txt rl.txt dm.txt
done
printf '1\n2\n1\nnan\n' | ordo radius --descending --lr lr.txt --rl rl.txt --dm dm.txt
paste -d ' ' lr.txt rl.txt dm.txt
printf '2\n1\n' | ordo radius --dtype u16 --lr lr.npy --dm dm.bin
ordo sort lr.npy --format text | line
od -An -tu8 dm.bin | tr -s ' '
ordo radius --algorithm prefix --device cpu --lr none.txt </dev/null
echo $?
ls none.txt 2>/dev/null
printf '2\n1\n' | ordo radius --lr no/such/folder.txt
echo $?
