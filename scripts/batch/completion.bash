# bash completion of aslant-submit

_aslant_submit()
{
	local words=

	case $3 in
	--nvm-dir | --out | --prologue | --aslant) ;;
	--system) words='slurm pbs sge lsf flux' ;;
	--*-per-node | --nodes | --time | --account | --queue | --qos | --mem | \
		--constraint | --job-name | --launcher) return ;;
	*) words="$(aslant-submit --help | grep -o '^  --[a-z-]*')
		$(aslant list suites 2>/dev/null | awk '/^[a-z]/ { print $1 }')" ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$2")
}

complete -o default -F _aslant_submit aslant-submit
