# Rows are written as they were read, the header first; keys have a type and a direction.
printf '\357\273\277id,city,price\r\n1,"Paris, FR",10.5\r\n2,Rome,9\r\n3,"say ""hi""\ntwice",-3\r\n4,Rome,' >table
ordo sort --csv --key price table | od -c | head -1
ordo sort --csv --key price table
ordo sort --csv --key city --key id:desc table
ordo sort --csv -r -k city table
ordo sort --csv -u --key city table
ordo sort --csv --no-header --key 1:text table
ordo sort --csv --key 3:number:desc table -o table && ordo sort --csv -c --key price:desc table
printf 'a\tb\n5" pipe\t2\nx\t1\n' >tabs
ordo sort --tsv --key b tabs
printf 'a;b\n"x;2\ny;1\n' | ordo sort --csv -t ';' --no-quotes --key b
printf 'day\n2024-03-01\n2024-02-29T23:59:59.5Z\n\n1999\n2024-03-01T00:00+01:00\n' | ordo sort --csv --key day:date
printf 'f\na10\na9\na1.5\nb\n' | ordo sort --csv --key f:natural
printf 'a:desc\n1\n2\n' | ordo sort --csv --key 1:desc
printf 'x,y\n2,a\n1,b\n\n\r\n' | ordo sort --csv --key x
printf 'x\n2\n\n1\n' | ordo sort --csv --key x
printf 'x,y\n' | ordo sort --csv --key x
