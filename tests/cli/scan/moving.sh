# Statistics of a moving window: incomplete windows, NaNs, and refused arguments.
printf '4\n2\n9\n5\nnan\n1\n' >keys
flat() { tr '\n' ' ' && echo; }
ordo moving keys --window 3 | flat
ordo moving keys --window 3 --min-periods 1 | flat
ordo moving keys --window 3 --min-periods 1 --center --op max | flat
ordo moving keys --window 2 --op min --nans propagate | flat
ordo moving keys --window 2 --op min --nans last | flat
ordo moving keys --window 4 --op quantile -q 0.25 --method lower --min-periods 2 | flat
printf '3\n3\n1\n3\n' | ordo moving --window 3 --op rank --ties average --min-periods 1 | flat
printf '3\n3\n1\n3\n' | ordo moving --window 3 --op rank --descending --min-periods 1 | flat
ordo gen uniform -n 50000 --dtype f32 -o a.npy
ordo moving a.npy --window 500 --threads 1 -o one.npy
ordo moving a.npy --window 500 --threads 3 -o three.npy && cmp one.npy three.npy && echo same
ordo moving keys
ordo moving keys --window 3 -q 0.5
ordo moving keys --window 3 --op quantile
ordo moving keys --window 3 --op quantile -q 0.5 --method nonsense
ordo moving keys --window 3 --ties max
ordo moving keys --window 3 --min-periods 4
