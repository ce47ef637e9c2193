# Every command that may take long draws a progress bar if stderr is a terminal, and erases it.
python3 -c 'import pty' 2>/dev/null || {
    echo "python3 is missing"
    exit 77
}
{
    ordo gen uniform -n 2e5 --dtype u32 -o k.npy
    ordo gen uniform -n 1e5 --dtype i32 --format text -o k.txt
    ordo gen uniform -n 2e6 --dtype f64 -o large.npy
    ordo gen uniform -n 8e5 --dtype f64 --format text -o large.txt
    ordo gen fasta -n 2e4 -o p.fasta
    ordo gen few -k 2 -n 2e5 --dtype u8 -o flags.npy
    ordo sort k.npy -o sorted.npy
    ordo sort --text k.txt -o sorted.txt
    ordo bwt k.txt -o k.bwt
    ordo index k.txt -o k.fm
    ordo bzip2 -k k.txt
} </dev/null
{
    echo a,b
    paste -d, k.txt sorted.txt
} >t.csv
paste -d, large.txt large.txt >large.csv
python3 "$CASES/bars.py"
