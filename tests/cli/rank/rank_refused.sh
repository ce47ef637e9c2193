# Options that cannot be combined.
printf '1\n2\n' >keys
for wrong in --check '--algorithm threads' '--algorithm sequential' '--sorted --algorithm radix' \
    '--text --sorted' '--text --algorithm merge' '--text --dtype u8' '--text --skip-bad' \
    '--text --from npy' '--ties average --rank-type u64'; do
    # shellcheck disable=SC2086 # several words
    ordo rank keys $wrong
    echo $?
done
printf '1\n2\n' | ordo rank --ties average --rank-type f32
echo $?
printf '1\n2\n' | ordo rank --rank-type f32
echo $?
