# shellcheck shell=bash
# The three releases that the practice migration walks through, as artifacts that every machine can read.

readonly kStartVersion=1.0.0

# releases_make: into $state/artifacts; the key stays out of the folder that machines see.
releases_make() {
  local build=${BERTH_BUILD:-$root/build/dev} variant version
  mkdir -p "$state/secrets"
  chmod 700 "$state/secrets"
  say "building the three releases in $build"
  for variant in start=$kStartVersion with_holder=1.1.0 without_cli=1.2.0; do
    version=${variant#*=} variant=${variant%%=*}
    "$here/package-release" \
          --version "$version" --variant "$variant" --out "$state/artifacts" --build "$build" \
      --key "$state/secrets/release-key.pem" --url file:///srv/berth-artifacts >"$state/secrets/$variant.json" \
      2>>"$state/build.log" || { tail -n 30 "$state/build.log" >&2; die "release $version could not be made; see $state/build.log"; }
  done
}
