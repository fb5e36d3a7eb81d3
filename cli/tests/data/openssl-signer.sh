# Signs with `openssl` and the private key of the first argument: DER over SHA-256, as a token or a service gives it.
set -e
input=$(sed 's/.*"signing_input":"\([^"]*\)".*/\1/' | tr '_-' '/+')
while [ $((${#input} % 4)) -ne 0 ]; do input="$input="; done
signature=$(printf '%s' "$input" | openssl base64 -d -A | openssl dgst -sha256 -sign "$1" | openssl base64 -A |
    tr '/+' '_-' | tr -d '=')
printf '{"signature":"%s"}\n' "$signature"
