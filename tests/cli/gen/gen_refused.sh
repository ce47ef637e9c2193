# Arguments of gen that are refused.
ordo gen
ordo gen uniform
ordo gen unifrom -n 1
ordo gen no-such-thing-at-all -n 1
ordo gen uniform -n 1 --dtype f128
ordo gen uniform -n 1 -k 3
ordo gen uniform -n 1 -p 0.5
ordo gen ksorted -n 10
ordo gen shuffled -n 10
ordo gen recur -n 1 -p half
ordo gen recur -n 1 -p nan
ordo gen uniform gaussian -n 1
