# aslant.py -- a ReFrame test: cases of aslant on a system's nodes
#
#	reframe -C SITE.py -c scripts/reframe/aslant.py -r --performance-report
#	reframe ... -S aslant_run.executable=/opt/aslant/bin/aslant \
#		-S aslant_run.nvm_dir=/mnt/pmem0 -S aslant_run.num_tasks=64
#
# A case passes if every repetition is verified, and its counts are as predicted.
# Its figures are medians; counts of words are the same on every machine.

import csv
import os
import statistics

import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class aslant_run(rfm.RunOnlyRegressionTest):
    descr = 'asymmetric-memory linear algebra: words, time and correctness'
    valid_systems = ['*']
    valid_prog_environs = ['*']
    executable = 'aslant'
    num_tasks = 8
    keep_files = ['result']

    case = parameter(['3d', 'em-jomma', 'fused', 'sttsv', 'einsum'])
    nvm_dir = variable(str, value='')
    repetitions = variable(int, value=5)

    sizes = {
        'sttsv': ['--n', '480', '--steiner', 'cubic'],
        'einsum': ['--spec', 'ijk,kl,jl->il', '--dims', 'i=200,j=200,k=200,l=16'],
    }

    @run_before('run')
    def set_options(self):
        self.executable_opts = [
            'run', self.case, *self.sizes.get(self.case, ['--n', '2048']),
            '--reps', str(self.repetitions), '--warmup', '1', '--out', 'result']
        if self.nvm_dir:
            self.executable_opts += ['--nvm-dir', self.nvm_dir]

    def column(self, name):
        path = os.path.join(self.stagedir, 'result', 'runs.csv')
        with open(path, newline='') as rows:
            return [row[name] for row in csv.DictReader(rows)]

    def median(self, name):
        return statistics.median(float(cell) for cell in self.column(name))

    @sanity_function
    def verified_and_as_predicted(self):
        every = ['1'] * self.repetitions
        return sn.all([sn.assert_eq(self.column('verified'), every),
                       sn.assert_eq(self.column('predicted_equal'), every)])

    @performance_function('s')
    def wall(self):
        return self.median('wall_s')

    @performance_function('GFLOP/s')
    def speed(self):
        return self.median('gflops')

    @performance_function('words')
    def pool_writes(self):
        return self.median('nvm_write_words_max')

    @performance_function('words')
    def network(self):
        return self.median('bh_words_max')
