line() { tr '\n' ' ' && echo; }
printf 'pear\napple\n\npear\nApple\napple pie' >names
ordo select names --text -k 3
ordo select names --text -k 6,1,4 | line
ordo select names --text -k 1 --descending
ordo gen strings -n 2000 >lines
sort lines | sed -n '1p;1000p;2000p' >expected
ordo select lines --text -k 1,1000,2000 | cmp - expected
ordo select names --text -k 7
echo $?
ordo select names --text -k 1 --nans omit
echo $?
ordo select names --text -k 1 --format npy
echo $?
