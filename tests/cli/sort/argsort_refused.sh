printf '2\n1\n' >keys
for wrong in '--radius 3' '-k 3' '--index-type i32' '--text --algorithm merge' '--text --dtype u8' '--unique'; do
    # shellcheck disable=SC2086 # several words
    ordo argsort keys $wrong
    echo $?
done
printf '1\nx\n' | ordo argsort
echo $?
