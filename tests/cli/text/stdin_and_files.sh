# Input from a file, from '-' and from stdin without an operand; input that cannot be read.
printf '1\n2\n' >keys
ordo scan keys
ordo scan - <keys
ordo scan <keys
ordo scan keys | ordo scan --op max
ordo scan -- keys
cp keys ./-keys
ordo scan -- -keys
ordo scan missing
echo $?
ordo scan .
echo $?
ordo scan keys keys
echo $?
ordo scan <&-
echo $?
