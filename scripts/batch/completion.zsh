#compdef aslant-submit

local -a suites

suites=(${(f)"$(aslant list suites 2>/dev/null | awk '/^[a-z]/ { print $1 }')"})
_arguments '1:suite:(${suites})' '--system=[the batch system]:NAME:(slurm pbs sge lsf flux)' \
	'*:: :_gnu_generic'
