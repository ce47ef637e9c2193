# A transform and back, with any bytes; damaged transforms.
printf 'banana' | ordo bwt | tail -c 6
echo
printf 'a\0b\377\n' | ordo bwt -o t.bwt && ordo unbwt t.bwt | od -An -tx1
printf '' | ordo bwt | ordo unbwt
printf 'ordo bwt\1\0\0\0\0\0\0\0abab' | ordo unbwt
echo $?
printf 'ordo bwt\11\0\0\0\0\0\0\0abab' | ordo unbwt
echo $?
printf 'text' | ordo unbwt
echo $?
ordo unbwt --format raw
echo $?
