for n in '' ten 1.5 -1 +1 1e 1e-3 1e20 1k 1KB 1Kib 3^2 2^64 2^ 0x10 18446744073709551616 ' 1' '1 '; do
    ordo gen zero -n "$n" && echo "accepted '$n'"
done
exit 0
