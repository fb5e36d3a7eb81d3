# A signer that refuses, with an escape sequence in what it says.
printf 'the token is \033[31mlocked\nask its owner\n' >&2
exit 4
