/*
 * csv.c -- rows of CSV, in memory
 */
#include "bench/library/csv.h"

#include <csv.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/library/case.h"
#include "bench/library/number.h"
#include "bench/library/say.h"
#include "lib/base/atomic_file.h"
#include "lib/base/error.h"

int asl_csv_open(struct asl_csv *csv)
{
	*csv = (struct asl_csv){0};
	csv->f = open_memstream(&csv->text, &csv->bytes);
	return csv->f ? 0 : -ENOMEM;
}

void asl_csv_close(struct asl_csv *csv)
{
	if (csv->f)
		fclose(csv->f);
	free(csv->text);
	*csv = (struct asl_csv){0};
}

int asl_csv_clear(struct asl_csv *csv)
{
	asl_csv_close(csv);
	return asl_csv_open(csv);
}

int asl_csv_flush(struct asl_csv *csv)
{
	return fflush(csv->f) || ferror(csv->f) ? -ENOMEM : 0;
}

void asl_csv_put(struct asl_csv *csv, const char *name, const char *text)
{
	if (csv->in_row)
		fputc(',', csv->f);
	csv->in_row = true;
	if (csv->naming)
		text = name;
	if (!text)
		return;
	if (text[strcspn(text, ",\"\r\n")])
		csv_fwrite(csv->f, text, strlen(text));
	else
		fputs(text, csv->f);
}

void asl_csv_put_count(struct asl_csv *csv, const char *name, uint64_t x)
{
	char text[32];

	snprintf(text, sizeof text, "%ju", x);
	asl_csv_put(csv, name, text);
}

void asl_csv_put_length(struct asl_csv *csv, const char *name, uint64_t x)
{
	if (x)
		asl_csv_put_count(csv, name, x);
	else
		asl_csv_put(csv, name, NULL);
}

void asl_csv_put_number(struct asl_csv *csv, const char *name, double x)
{
	char text[32];

	asl_csv_put(csv, name, asl_write_number(text, x));
}

void asl_csv_end_row(struct asl_csv *csv)
{
	fputc('\n', csv->f);
	csv->in_row = false;
}

static int table_write(struct asl_csv *csv, const char *path)
{
	int err;

	if (asl_csv_flush(csv))
		return asl_no_memory();
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

int asl_table_write(struct asl_csv *csv, const char *path)
{
	int code = table_write(csv, path);

	asl_csv_close(csv);
	return code;
}
