# Signs with `openssl` and a private key file (ECDSA on P-256, or RSA for RS256):
#
#     countersign sign card.json --public public.pem --signer "sh openssl-sign.sh key.pem" -o signed.json
#
# Answers what `openssl dgst -sign` gives over SHA-256, for ECDSA in DER.
set -e
input=$(sed 's/.*"signing_input":"\([^"]*\)".*/\1/' | tr '_-' '/+')
while [ $((${#input} % 4)) -ne 0 ]; do input="$input="; done
signature=$(printf '%s' "$input" | openssl base64 -d -A | openssl dgst -sha256 -sign "$1" | openssl base64 -A |
    tr '/+' '_-' | tr -d '=')
printf '{"signature":"%s"}\n' "$signature"
