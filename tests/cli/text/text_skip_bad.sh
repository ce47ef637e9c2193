printf '1\nx\n\n2\n3.5e\n4\n' >file
ordo scan file --skip-bad
echo $?
printf '1\n300\n2\n' | ordo scan --skip-bad --dtype u8
printf 'a\nb\n' | ordo scan --skip-bad
printf '1\nx\n2.5\n' | ordo scan --skip-bad
printf '1\n2\n\n' | ordo scan --skip-bad
