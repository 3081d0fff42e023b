# The commands that Packaging/test-deb runs as root inside a fresh Debian, with the files in the folder /test.
set -euo pipefail
cd /test

apt() {
  apt-get -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 "$@" > apt.log 2>&1 \
    || { cat apt.log; exit 1; }
}

say() { printf '$ %s\n' "$*"; "$@"; }

# Lists every path of the system, except for those of apt and dpkg themselves.
paths() {
  find / -xdev \( -path /proc -o -path /test -o -path /tmp -o -path /var/cache -o -path /var/lib/apt \
    -o -path /var/log -o -path /var/lib/dpkg \) -prune -o -print | sort
}

# The demonstration converts, inspects, verifies and detects; then the model is exported to each format.
use() {  # PROGRAM
  say "$1" --version
  shape-detector/demo.sh "$1" demo > demo.log
  sed -n '/verify/,$p' demo.log
  [ "$(grep -cE '^(ellipse|rectangle|triangle) ' demo.log)" = 4 ]
  for type in onnx mlmodel keras h5 safetensors; do
    say "$1" export demo/shape-detector.wbm -o "demo/out.$type"
    [ -s "demo/out.$type" ]
  done
  rm -r demo demo.log
}

echo "-- The package"
apt update
paths > before
dpkg-query -W -f '${Package}\n' > packages-before
apt install ./weighbridge_*.deb
echo "Installed: $(dpkg-query -W -f '${Package}\n' | comm -13 packages-before - | paste -sd' ')"
echo "The documentation: $(find /usr/share/doc/weighbridge/html -name '*.html' | wc -l) pages"
[ -s /usr/share/doc/weighbridge/html/index.html ]
use /usr/bin/weighbridge
apt purge weighbridge
paths > after
diff before after
echo "Removed: every path is as it was, $(wc -l < after) of them."

echo "-- The manual"
apt install man-db ./weighbridge_*.deb
MANWIDTH=80 man weighbridge | head -n 9
MANWIDTH=80 man weighbridge verify | head -n 5
say whatis -l weighbridge weighbridge-verify
[ "$(man -k . | grep -c '^weighbridge')" = "$(ls /usr/share/man/man1/weighbridge* | wc -l)" ]

echo "-- Completions of weighbridge ver"
apt install bash-completion zsh fish
bash -c '. /usr/share/bash-completion/bash_completion
  _completion_loader weighbridge
  COMP_LINE="weighbridge ver" COMP_POINT=15 COMP_WORDS=(weighbridge ver) COMP_CWORD=1
  _weighbridge weighbridge ver weighbridge 2>/dev/null
  echo "bash: ${COMPREPLY[*]}"' | tee completions
echo "fish: $(fish -c 'complete -C "weighbridge ver"')" | tee -a completions
zsh -c 'autoload -Uz compinit; compinit -D; echo "zsh: ${_comps[weighbridge]}"' | tee -a completions
zsh -n /usr/share/zsh/vendor-completions/_weighbridge
[ "$(grep -cE '^(bash: verify *|fish: verify.*|zsh: _weighbridge)$' completions)" = 3 ]
apt purge weighbridge

echo "-- The tarball, in a folder of its own"
mkdir "/tmp/any folder"
apt install xz-utils
tar -C "/tmp/any folder" -xf weighbridge-*-linux.tar.xz
use "$(echo "/tmp/any folder"/weighbridge-*/bin/weighbridge)" > tarball.log 2>&1
grep -E '^(passed|. /tmp/any folder.*export)' tarball.log

echo "-- The wheel, in a virtual environment"
apt install python3-venv
python3 -m venv /tmp/environment
/tmp/environment/bin/pip install -q --no-index --find-links python "$(ls weighbridge-*.whl)[cluster]" pytest
say /tmp/environment/bin/weighbridge --version
say /tmp/environment/bin/python -m pytest -q -rs -p no:cacheprovider --ignore sources/Python/tests/cluster \
  sources/Python/tests
echo "Passed."
