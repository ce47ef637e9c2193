# rank adds a column, topk and select write rows, quantile and median write a line for each column.
printf 'class,name,points\nb,Ann,10\na,Bob,7\nb,Cid,10\na,Dan,9\nb,Eve,\n' >table
ordo rank --csv table --key points:desc
ordo rank --csv table --key points:desc --by class --ties average --as 'place, in "class"'
printf '3,1\n2,5\n' | ordo rank --csv --no-header --key 1
ordo topk --csv -k 2 --key points table
ordo topk --csv -k 1 --key points --by class table
ordo topk --csv -k 9 --smallest --key name table
ordo select --csv -k 1,4 --key points table
ordo quantile --csv -q 0.5,1 table
ordo quantile --csv -q 0.5 --column points --by class table
ordo median --csv table --by class --by name
printf '1\t2.5\n3\t4\n' | ordo median --tsv --no-header
printf 'x\nnan\n1\n' | ordo median --csv --nans omit
printf 'x\n18446744073709551615\n1\n' | ordo quantile --csv -q 0
printf '9223372036854775807\n' | ordo rank --csv --no-header --key 1
ordo sort --help=all | grep -c -e '--key NAME'
ordo quantile --help=all | grep -c -e '--column NAME'
ordo argsort --csv table --key points
ordo argsort --csv table --key points:desc --one-based -S 8M
ordo unique --csv table --key class
ordo unique --csv table --key points --counts --descending
ordo unique --csv table --key class --counts --as 'n, of rows' -S 8M <table
ordo unique --csv table --key class --count
for command in min max sum count describe; do
    ordo $command --csv table
    ordo $command --csv table --by class
done
printf '1,x\n9007199254740993,y\n' | ordo sum --csv --no-header --by 2
printf 'x\n1\n\n0.5\nz\n' | ordo max --csv --bad skip --column x 2>&1
printf 'a,b\n1,2\n\n\n' | ordo topk --csv -k 9 --key a
ordo rank --csv table --key points -S 8M
ordo median --csv table --by class -S 8M
