# Valid headers in unusual forms. A header of odd length misaligns the data.
# shellcheck source=/dev/null
. "$CASES/npy.inc"
data='\001\000\000\000\000\000\000\000\002\000\000\000\000\000\000\000'
show() {
    npy "$@" | ordo scan --format text | tr '\n' ' '
    echo
}
show "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }" "$data" 1
show "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }" "$data" 2
show "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }" "$data" 3
show "{'descr': '<i8', 'fortran_order': True, 'shape': (2,), }" "$data"
show "{'shape': (2,), 'fortran_order': False, 'descr': '<i8'}" "$data"
show "{'shape':(2L,),'fortran_order':False,'descr':'<i8'}" "$data"
show '{"descr": "<i8", "fortran_order": False, "shape": ( 2 , )}   
' "$data"
for pad in '' ' ' '  ' '   ' '    ' '     '; do
    show "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }$pad" "$data"
done
npy "$(vector '<f4' 0)" '' | ordo rank | wc -c | tr -d ' '
