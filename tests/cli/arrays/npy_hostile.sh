# Headers that are invalid or dangerous: a message for each, exit code 2, no output.
# shellcheck source=/dev/null
. "$CASES/npy.inc"
try() {
    ordo rank file.npy -o out.npy
    code=$?
    [ $code -eq 2 ] || echo "exit code $code"
    [ ! -e out.npy ] || echo "there is output"
}
printf '\223NUMPY' >file.npy && try
printf '\223NUMPY\001\000\166' >file.npy && try
printf '\223NUMPY\002\000\166\000\000' >file.npy && try
printf '\223NUMPY\004\000\000\000\000\000' >file.npy && try
printf '\223NUMPY\001\001\000\000\000\000' >file.npy && try
printf '\223NUMPY\001\000\377\377{}' >file.npy && try
printf '\223NUMPY\002\000\377\377\377\377{}' >file.npy && try
npy '' '' >file.npy && try
npy '{' '' >file.npy && try
npy '{}' '' >file.npy && try
npy "{'descr': '<i4', 'fortran_order': False, }" '' >file.npy && try
npy "{'descr': '<i4', 'descr': '<i4', 'fortran_order': False, 'shape': (0,)}" '' >file.npy && try
npy "{'descr': '<i4', 'fortran_order': Maybe, 'shape': (0,)}" '' >file.npy && try
npy "{'descr': '<i4', 'fortran_order': False, 'shape': (-1,)}" '' >file.npy && try
npy "{'descr': '<i4', 'fortran_order': False, 'shape': (3)}" '' >file.npy && try
npy "{'descr': '<i4', 'fortran_order': False, 'shape': (0,), 'more': 1}" '' >file.npy && try
npy "{'descr': '<i4', 'fortran_order': False, 'shape': (0,)} system()" '' >file.npy && try
npy "{'descr': '<i4', 'fortran_order': False, 'shape': ()}" '\000' >file.npy && try
npy "{'descr': '<i4', 'fortran_order': False, 'shape': (3, 4)}" '\000' >file.npy && try
npy "$(vector '|O' 3)" '\000' >file.npy && try
npy "$(vector '<c16' 3)" '\000' >file.npy && try
npy "$(vector '|b2' 3)" '\000' >file.npy && try
npy "$(vector '<f2' 3)" '\000' >file.npy && try
npy "$(vector '' 3)" '\000' >file.npy && try
npy "{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (3,)}" '\000' >file.npy && try
npy "{'descr': '<i4\\x00', 'fortran_order': False, 'shape': (3,)}" '' >file.npy && try
npy "$(vector '<i8' 2305843009213693952)" '\000' >file.npy && try
npy "$(vector '<i8' 99999999999999999999999)" '\000' >file.npy && try
npy "$(vector '<i8' 1152921504606846976)" '\000' >file.npy && try
npy "$(vector '<i4' 3)" '\001\000\000' >file.npy && try
npy "$(vector '<i4' 1)" '\001\000\000\000\002' >file.npy && try
npy "$(vector '<i4' 0)" '\001' >file.npy && try
printf '1\n' | ordo rank --from npy
npy "$(vector '<i4' 1)" '\001\000\000\000' | ordo rank --dtype f32
