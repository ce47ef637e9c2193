# Errors name the file, the line and the column; nothing is written.
printf 'id,city,price\n1,a,2\n2,b,x\n3,c\n4,d,\n' >table
printf 'a,a,12\n1,2,3\n' >twice
printf 'a,b\n1,"x\n2,3\n' >open
printf '"a,b\n1,x\n' >open_header
printf '' >empty
printf 'day,n\n2024-13-01,123456789012345678901\n' >days
printf 'a,b\n1,2\n\n3,4\n' >blank
try() {
    ordo "$@" -o out
    code=$?
    printf '%s: %d\n' "$*" $code
}
try sort --csv table
try sort --csv --no-header table
try sort --csv --key prize table
try sort --csv --key 4 table
try sort --csv --key id,city table
try sort --csv --key 0 table
try sort --csv --no-header --key price table
try sort --csv --key price:size table
try sort --csv --key price:number:text table
try sort --csv --key city:desc:asc table
try sort --csv --key price table
try sort --csv --key price:number table
try sort --csv --key id table
try sort --csv --key a twice
try sort --csv --key 12:desc twice
try sort --csv --key a open
try sort --csv --key a open_header
try sort --csv --key a empty
try sort --csv --key a missing
try sort --csv --key day:date days
try sort --csv --key n days
try sort --csv --key a blank
try sort --csv --tsv --key id table
try sort --csv --header --no-header --key id table
try sort --csv -n --key id table
try sort --csv --text --key id table
try sort --csv --key id -t ab table
try sort --csv --key id -t '' table
try sort --csv --key id -t 1 table
try sort --csv --key id -t '"' table
try sort --csv --key id --format npy table
try sort --csv --key id --bad often table
try sort --csv --key id --skip-bad --bad last table
try sort --csv --key id --algorithm radix table
try sort --csv --key id --check table
try sort --bad last table
try sort --no-quotes table
try rank --csv table
try rank --key id table
try rank --as x table
try rank --by id table
try rank --csv --key id --groups table table
try topk --csv --key id table
try topk --csv -k 1 table
try topk -k 1 --by city table
try select --csv -k 9 --key city --bad skip table
try quantile --csv --column price table
try quantile --csv --column city table
try quantile --csv --bad last table
try quantile --csv --by nothing table
try median --csv --column prize table
try median --csv open
try median --column a table
printf 'a,b\nx,y\n' | try median --csv
printf 'a,b\n"x, ""y""",1\n' | try sort --csv --key a:number
try sort --csv --by city --key price table
try argsort --csv --by city --key price table
try argsort --csv --key id --format npy table
try unique --csv table
try unique --csv --key id --as n table
try min --csv --column city table
try max --csv --bad last table
try sum --csv --key price table
try count --csv --text table
try describe --csv empty
try describe -T . table
