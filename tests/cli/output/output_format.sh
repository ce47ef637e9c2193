# One rule for every command with -o: --format decides, then the end of the file's name, then the
# kind of results (few results are text) or the format of the input.
kind() {
    case $(od -An -c -N6 "$1" | tr -d ' ') in
    223NUMPY) echo npy ;;
    *) if [ "$(tr -d '0-9.\n' <"$1" | wc -c)" -eq 0 ]; then echo text; else echo raw; fi ;;
    esac
}
printf '3\n1\n2\n' >keys.txt
ordo sort keys.txt --format npy -o keys.npy
ordo sort keys.txt --dtype f32 --format raw -o keys.bin
for command in sort argsort rank scan 'select -k 1' median quantile 'topk -k 2' radius; do
    for input in keys.txt keys.npy 'keys.bin --dtype f32'; do
        for name in x.npy x.bin x.raw x.txt x.text x.csv x; do
            # shellcheck disable=SC2086 # words with options
            ordo $command $input -o $name && kind $name
        done | tr '\n' ' '
    done
    echo "$command"
done
ordo gen sorted -n 3 -o x.npy && kind x.npy
ordo sort keys.txt -o x.npy --format text && kind x.npy
ordo sort keys.npy -o x.txt --format raw && kind x.txt
ordo sort --text keys.txt -o x.npy || echo $?
ordo sort --text keys.txt -o x.npy --format text && kind x.npy
ordo select --text keys.txt -k 1 -o x.bin || echo $?
ordo argsort --text keys.txt -o x.npy && kind x.npy
