# Rows with bad values or a wrong number of fields are put last, left out and counted, or compared
# as text.
printf 'id,price\n1,5\n2,x\n3\n4,1,2\n5,\n6,10\n7,b\n' >table
for bad in last skip text; do
    echo "$bad:"
    ordo sort --csv --key price:number --bad $bad table
    ordo sort --csv --key price:number:desc --bad $bad table
done
ordo sort --csv --key price:number --skip-bad table
ordo rank --csv --key price:number --bad skip table
ordo rank --csv --key price:number --bad last table
ordo topk --csv -k 2 --key price:number --bad last table
ordo select --csv -k 3 --key price:number --bad last table
ordo quantile --csv --column price --bad skip table
ordo sort --csv --check --key price:number --bad skip table
printf 'id,price\n1,5\n2,x\n' | ordo sort --csv --key price:number --skip-bad
printf 'x\n10\n9\nNA\n' >mixed
ordo sort --csv --key x mixed
ordo median --csv mixed
ordo median --csv --column x --bad skip mixed
