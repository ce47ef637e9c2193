# --sorted does not check the input; --check does and names the first element out of order, from 1.
printf '1\n9.25\n3.5\n' >keys
ordo rank keys --sorted --check
echo $?
ordo rank keys --sorted >/dev/null
echo $?
printf '5\n4\n6\n' | ordo rank --sorted --check --descending --dtype u8
echo $?
printf '1\nnan\n2\n' | ordo rank --sorted --check --dtype f32
echo $?
printf '3\n1\n' | ordo rank --sorted --check -o ranks
echo $?
printf '3\n3\n8\n' | ordo rank --sorted --check
ls
