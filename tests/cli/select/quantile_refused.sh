printf '30\n10\n20\n' >keys
for q in 1.5 -0.1 0.5,2 nan x '' '0.5,' 50%; do
    ordo quantile keys -o out -q "$q"
    echo $?
done
ordo quantile keys --method mean
echo $?
ordo quantile keys --method ''
echo $?
ordo quantile keys --nans never
echo $?
ordo median keys -q 0.5
echo $?
ordo median keys --method linear
echo $?
printf '1\nx\n' | ordo median
echo $?
ls
