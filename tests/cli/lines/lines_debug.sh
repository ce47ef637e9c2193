# --debug marks the bytes of each key, and says that locales are not used.
printf 'b\t 12x\n a  -3\n\n' >lines
ordo sort --debug -k2n lines
ordo sort --debug -s -k2b,2 -k1.1,1.1r lines
ordo sort --debug lines -u
env LC_ALL=tlh_QO.UTF-8 ordo sort --debug --text lines -t x -k 2
env LC_ALL='' LC_COLLATE=C.UTF-8 LANG=xx ordo sort --debug -M lines -s
env LC_ALL=tlh_QO.UTF-8 ordo sort --text lines >out # stderr is no terminal: no message
