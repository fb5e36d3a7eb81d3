# Signs with `openssl` 3 and a private key file: ECDSA, RSA (PKCS#1 and PSS) and Ed25519:
#
#     countersign sign card.json --public public.pem --signer "sh openssl-sign.sh key.pem" -o signed.json
#
# ECDSA and RSA sign the digest that countersign computed, with the hash of `alg`; Ed25519 signs the signing input.
# ECDSA answers in DER. An RSA key signs PS256 unless countersign is told `--alg RS256`. When a step fails, the exit code
# is not 0, and standard error has what openssl said.
set -eu
: "${1:?the file with the private key is missing}"
key=$1
request=$(cat)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The text of a member of the request.
member() {
    printf '%s' "$request" | sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p'
}

algorithm=$(member alg)
case $algorithm in
ES256 | ES384 | ES512) set -- ;;
PS256 | PS384 | PS512) set -- -pkeyopt rsa_padding_mode:pss -pkeyopt rsa_pss_saltlen:digest ;;
RS256 | RS384 | RS512) set -- -pkeyopt rsa_padding_mode:pkcs1 ;;
EdDSA | Ed25519) set -- -rawin ;;
*) echo "this script has no way to sign $algorithm" >&2 && exit 2 ;;
esac
case $algorithm in
*256) set -- "$@" -pkeyopt digest:sha256 ;;
*384) set -- "$@" -pkeyopt digest:sha384 ;;
ES512 | PS512 | RS512) set -- "$@" -pkeyopt digest:sha512 ;;
esac
case $algorithm in
EdDSA | Ed25519) input=signing_input ;;
*) input=digest ;;
esac

# Each step ends before the next begins: a shell does not see failures inside a pipe.
text=$(member "$input" | tr '_-' '/+')
while [ $((${#text} % 4)) -ne 0 ]; do text="$text="; done
printf '%s' "$text" | openssl base64 -d -A > "$work/input"
openssl pkeyutl -sign -inkey "$key" "$@" -in "$work/input" -out "$work/signature"
openssl base64 -A -in "$work/signature" -out "$work/answer"
printf '{"signature":"%s"}\n' "$(tr '/+' '_-' < "$work/answer" | tr -d '=')"
