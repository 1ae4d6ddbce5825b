/*
 * table.c -- the answer of plan and bounds: CSV, to where --csv says
 */
#include "bench/table.h"

#include <errno.h>
#include <string.h>

#include "bench/case.h"
#include "bench/say.h"
#include "lib/base/atomic_file.h"
#include "lib/base/error.h"
#include "lib/matrix/file.h"

int asl_table_write(struct asl_csv *csv, const char *path)
{
	int err;

	if (asl_csv_flush(csv))
		return asl_complain(ASL_NO_MACHINE, "out of memory");
	if (!strcmp(path, "-")) {
		fwrite(csv->text, 1, csv->bytes, stdout);
		return 0; /* main looks after stdout */
	}
	if (asl_job().rank > 0)
		return 0;
	err = asl_atomic_file_put(path, csv->text, csv->bytes);
	return err ? asl_complain(asl_exit_code(err), "--csv: %s",
				  asl_failure())
		   : 0;
}
